// Spans of what a directory is asked, and what is not in them; with the real SDK in this process.
import { SpanKind } from '@opentelemetry/api'
import t from 'tap'
import { type Instead, personNamed, startFakeDirectory } from '../../../support/directory/fake-directory.ts'
import { scene } from '../../../support/scene.ts'
import { recordSpans } from '../../../support/spans.ts'
import { asPage } from '../../../support/visitor.ts'

const exporter = recordSpans(t)

t.test('questions to a directory are spans without a name, a DN or a password', async (t) => {
  const instead: { now?: Instead } = {}
  const carol = { ...personNamed('planted-carol'), password: 'planted password' }
  const { settings, port } = await startFakeDirectory(t, [carol], instead)
  const { signIn } = await scene(t, {
    ...settings,
    directory_timing: { connect: 1000, answer: 1000 },
  })
  const asked = async (...given: Parameters<typeof signIn>) => {
    exporter.reset()
    const answer = await signIn(...given)
    const spans = exporter.getFinishedSpans()
    const shown = JSON.stringify(
      spans.map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    )
    t.notMatch(shown, /planted|dc=|cn=|uid/i)
    return { answer, of_directory: spans.filter(({ name }) => name.startsWith('ldap.')), spans }
  }

  const { answer, of_directory, spans } = await asked('planted-carol', 'planted password')
  t.ok('location' in answer)
  t.same([...new Set(of_directory.map(({ name }) => name))].sort(), ['ldap.bind', 'ldap.search'])
  const request = spans.find(({ attributes }) => attributes['http.request.method'] === 'POST')
  const attributes = { 'network.protocol.name': 'ldap', 'server.address': '127.0.0.1', 'server.port': port }
  for (const span of of_directory) {
    t.strictSame(span.attributes, attributes)
    t.equal(span.kind, SpanKind.CLIENT)
    t.equal(span.spanContext().traceId, request?.spanContext().traceId, 'it belongs to the request')
  }

  const refused = await asked('planted-carol', 'planted wrong password')
  t.equal(asPage(refused.answer).status, 200)
  for (const span of refused.of_directory) t.strictSame(span.attributes, attributes, 'no is an answer')

  instead.now = (_, socket) => socket.destroy() !== undefined
  const away = await asked('planted-carol', 'planted password')
  t.equal(asPage(away.answer).status, 503)
  t.match(away.of_directory.at(-1)?.attributes, { 'error.type': 'DirectoryFailure' })
})
