import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

const ROOT = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const filesIn = (folder: string) =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`)

const PRODUCT = ['src', 'routes', 'plugins', 'rooms', 'cli', 'workers', 'exports'].flatMap(filesIn)
const LOOSE = readdirSync(ROOT, { encoding: 'utf8' })
const SOURCES = [...PRODUCT, ...LOOSE].filter((path) => /\.(ts|lua)$/.test(path))
const TEXTS = SOURCES.map((path) => ({ path, text: read(path) }))
const IN_SRC = TEXTS.filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts'))

/** Words that a developer of this field knows, and that mean here what they mean elsewhere. */
const COMMON = words(`
  act activities activity actor addresses age agreed arguments arrival asker attribute binding block brand caller certificate
  chain changed chip choice clock column config confirmation connected consequence content context count counted cursor definition delivery
  description destination details difference disowned edited endpoints entry error explanation explanations export factor
  fact facts fault fetched fetching file filter fitted flag found frame gate given granted handler head header headers hint holders identity
  indexing info input inviter issued issues join jws language layout listing log means message moved node nonce note noted now object offer
  options origin period place plan presentation preset problem progress proof proofs props proven purpose range reader reading
  received recipient redemption refusal repeat reply requested response result rules script search settings shown site
  source start state store submission success support target telemetry telling text texts theme there throttled timing totp
  trace tracing trouble undo verification view visit waiting watcher wrong`)

/** The headers of a script with its parts and the names of its arguments are read as one line each. */
const IS_COMMENT = /^\s*(\/\/|\/\*\*?|\*|--(?! (args|include):)) /

const GLOSSARY = words(read('docs/glossary.md'))

function words(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[a-z]+/g))
}

/** The last word of a name, in its own letters: `Trail` of `AuditTrail`. */
const headOf = (name: string) => name.match(/[A-Z][a-z0-9]*|[A-Z]+(?![a-z])/g)?.at(-1) ?? name

function timesOf(): Map<string, number> {
  const times = new Map<string, number>()
  for (const { text } of IN_SRC)
    for (const [word] of text.matchAll(/[A-Z]?[a-z]+/g))
      times.set(word.toLowerCase(), (times.get(word.toLowerCase()) ?? 0) + 1)
  return times
}

t.test('a word of the code that is met often is in the glossary, or everybody knows it', async (t) => {
  const times = timesOf()
  const heads = new Set(
    IN_SRC.flatMap(({ text }) =>
      [...text.matchAll(/^export interface (\w+)/gm)].map(([, name = '']) => headOf(name).toLowerCase()),
    ),
  )
  const known = (head: string) =>
    [head, head.replace(/s$/, ''), head.replace(/ies$/, 'y')].some(
      (form) => GLOSSARY.has(form) || COMMON.has(form),
    )
  const unknown = [...heads].filter((head) => (times.get(head) ?? 0) > 20 && !known(head))
  t.strictSame(unknown, [], 'docs/glossary.md says what it means')
})

t.test('an exported name is that of one type', async (t) => {
  const places = new Map<string, string[]>()
  for (const { path, text } of TEXTS)
    for (const [, name = ''] of text.matchAll(/^export (?:interface|type|(?:abstract )?class) (\w+)/gm))
      places.set(name, [...(places.get(name) ?? []), path])
  t.strictSame(Object.fromEntries([...places].filter(([, paths]) => paths.length > 1)), {})
})

t.test('a line of a comment has at most 125 characters', async (t) => {
  const long = TEXTS.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) => (line.length > 125 && IS_COMMENT.test(line) ? `${path}:${i + 1}` : [])),
  )
  t.strictSame(long, [])
})
