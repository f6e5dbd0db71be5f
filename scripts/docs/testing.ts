import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { code, type MakePart } from './page.ts'

/** The files of examples/testing/ that pages show as they are. */
const SHOWN = [
  'python/orders.py',
  'python/conftest.py',
  'python/test_orders.py',
  'go/orders.go',
  'go/redmint_test.go',
  'go/orders_test.go',
  'java/pom.xml',
  'java/src/main/java/orders/Orders.java',
  'java/src/test/java/orders/Redmint.java',
  'java/src/test/java/orders/OrdersTest.java',
] as const

/** The files that a page writes with a command. */
const WRITTEN = ['node/orders.mjs', 'node/orders.test.mjs'] as const

/** The files of the examples of tests, by the names in the marks of their pages. */
export const TESTING_PARTS: Readonly<Record<string, MakePart>> = {
  ...Object.fromEntries(SHOWN.map((path) => [path, () => shown(path)])),
  ...Object.fromEntries(WRITTEN.map((path) => [path, () => written(path)])),
}

async function shown(path: string): Promise<string> {
  const [, ...within] = path.split('/')
  return `${code(within.join('/'))}:\n\n\`\`\`${extname(path).slice(1)}\n${await textOf(path)}\`\`\``
}

async function written(path: string): Promise<string> {
  return `\`\`\`sh\ncat > ${basename(path)} <<'END'\n${await textOf(path)}END\n\`\`\``
}

const textOf = (path: string) => readFile(`examples/testing/${path}`, 'utf8')
