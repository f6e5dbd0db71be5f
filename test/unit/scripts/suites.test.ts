import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { FIRST, filesOf, SUITES, suitesOf, testFiles } from '../../../scripts/suites.ts'

// Imports of types only are left out: they do not exist at run time.
const IMPORT = /(?:^(?:import|export)(?! type\b)[^'=]*?|\bimport\()'([^']+)'/gm
/** The modules that start a process, a Redis or a browser. */
const HEAVY = ['node:child_process', 'playwright-core']

/** Returns all modules that a file imports, directly or not: paths of files and names of packages. */
function importsOf(file: string, seen = new Set<string>()): Set<string> {
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const path = name.startsWith('.') ? join(dirname(file), name) : name
    if (seen.has(path)) continue
    seen.add(path)
    if (path.endsWith('.ts') && existsSync(path)) importsOf(path, seen)
  }
  return seen
}

t.test('the folder in test/ says which suites a file belongs to', async (t) => {
  t.strictSame(suitesOf('test/unit/src/a.test.ts'), ['unit'])
  t.strictSame(suitesOf('test/main+proofs/src/unit/a.test.ts'), ['main', 'proofs'])
  t.throws(() => suitesOf('test/proof/a.test.ts'), { message: /"proof" is not a suite/ })
  t.throws(() => suitesOf('test/a.test.ts'), { message: /"a.test.ts" is not a suite/ })
})

t.test(
  'every test file runs in npm test, the proofs or weekly, and npm test includes the suite "unit"',
  async (t) => {
    const [unit, main, proofs, weekly, node] = SUITES.map((suite) => filesOf(suite, [])) as [
      string[],
      string[],
      string[],
      string[],
      string[],
    ]
    t.strictSame([...new Set([...main, ...proofs, ...weekly])].sort(), testFiles())
    t.equal(node.length, unit.length + 10, 'a flow of each kind exists')
    t.strictSame(
      FIRST.filter((file) => !proofs.includes(file)),
      [],
      'and each file that begins first',
    )
    t.strictSame(
      unit.filter((file) => !main.includes(file)),
      [],
    )
  },
)

t.test('packages that tests installed have no test files of ours', async (t) => {
  const folder = t.testdir({
    system: { 'a.test.ts': '', node_modules: { zod: { 'b.test.ts': '' } } },
    node_modules: { 'c.test.ts': '' },
  })
  t.strictSame(testFiles(folder), [join(folder, 'system', 'a.test.ts')])
})

t.test('a run can be limited to files and folders', async (t) => {
  const file = 'test/unit/scripts/suites.test.ts'
  t.strictSame(filesOf('unit', [file]), [file])
  t.ok(filesOf('unit', ['./test/unit/scripts/']).includes(file))
  t.ok(filesOf('unit', ['scripts']).includes(file), 'by what the folder mirrors')
  t.strictSame(filesOf('unit', ['script']), [])
  t.strictSame(filesOf('proofs', [file]), [])
})

t.test('test/README.md names files that exist, and npm scripts', async (t) => {
  const page = readFileSync('test/README.md', 'utf8')
  const named = [...page.matchAll(/`(\w[\w/.-]*(?:\/|\.ts))`/g)].map(([, path = '']) => path)
  t.ok(named.length > 20)
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const folders = readdirSync('test').map((name) => join('test', name))
  const roots = ['.', 'test', ...folders, ...folders.map((folder) => join(folder, 'system'))]
  for (const path of named)
    t.ok(
      roots.some((root) => existsSync(join(root, path))),
      path,
    )
  for (const [, name = ''] of page.matchAll(/npm run ([\w:]+)/g)) t.ok(scripts[name], name)
})

t.test('unit tests start no process, no Redis and no browser', async (t) => {
  for (const file of filesOf('unit', [])) {
    const imports = importsOf(file)
    for (const name of HEAVY) t.notOk(imports.has(name), `${file} does not import ${name}`)
  }
})
