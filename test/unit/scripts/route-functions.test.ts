import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript'

const MOST_LINES = 40

/** Returns the functions of a source that have more lines, by where they begin. */
function longFunctions(name: string, text: string): string[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest)
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const first = lineOf(node.getStart(source))
      if (lineOf(node.end) - first >= MOST_LINES) found.push(`${name}:${first + 1}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

t.test('a route translates, and leaves it to src/ to decide: its functions are short', async (t) => {
  const files = readdirSync('routes', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  t.ok(files.length > 30)
  t.strictSame(
    files.flatMap((name) => longFunctions(name, readFileSync(join('routes', name), 'utf8'))),
    [],
  )
})

t.test('what counts as a long function', async (t) => {
  const lines = (count: number) => '\n'.repeat(count)
  t.strictSame(longFunctions('a', `const a = 1\nfunction b() {${lines(MOST_LINES)}}`), ['a:2'])
  t.strictSame(longFunctions('a', `const b = () => [${lines(MOST_LINES)}]`), ['a:1'])
  t.strictSame(longFunctions('a', `function b() {${lines(MOST_LINES - 1)}}${lines(MOST_LINES)}`), [])
})
