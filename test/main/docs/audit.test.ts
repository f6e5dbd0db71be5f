// The commands of docs/audit.md with which a program follows the stream itself.
import t from 'tap'
import { recorderOn } from '../../support/audited.ts'
import { blocks, readText, section } from '../../support/markdown.ts'
import { onRedis } from '../../support/matrix.ts'

const [lines = ''] = blocks(section(await readText('docs/audit.md'), 'Reading'), 'sh')
const ID = '1795337161594-0'

onRedis(
  t,
  'a consumer group gets each entry, until it is acknowledged',
  async (t, { storage, keys, server }) => {
    const run = (line: string) =>
      server.cli(
        ...line
          .replace('redis-cli ', '')
          .replaceAll('redmint:audit', keys.trail)
          .split(' ')
          .map((word) => word.replaceAll("'", '')),
      )
    const [create = '', read = '', acknowledge = '', ...more] = lines.trim().split('\n')
    t.same(more, [])
    t.match(await run(create), 'OK')
    const { recorder } = recorderOn(storage)
    recorder.note({ event: 'mail_sent', mail: 'id', kind: 'test' }, {})
    await recorder.close()
    const [entry] = await storage.trail.read({ limit: 1 })
    const answer = await run(read)
    t.match(answer, entry?.id ?? 'an id')
    t.match(answer, '"event":"mail_sent"')
    const pending = () => server.cli('XPENDING', keys.trail, 'siem')
    t.match(await pending(), /^1$/m)
    t.match(await run(acknowledge.replace(ID, entry?.id ?? '')), '1')
    t.match(await pending(), /^0$/m)
  },
)
