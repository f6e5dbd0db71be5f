import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { headerOf } from '../../../../../../src/storage/redis/parts/script-arguments.ts'
import { SCRIPT_NAMES, SCRIPTS } from '../../../../../../src/storage/redis/parts/scripts.ts'
import { startRedis } from '../../../../../support/redis-server.ts'

const FOLDER = new URL('../../../../../../src/storage/redis/scripts/', import.meta.url)
const script = (name: string) => readFile(new URL(name, FOLDER), 'utf8')

t.test('scripts format instants as JavaScript does (ISO 8601)', async (t) => {
  const redis = await startRedis(t)
  const DAY = 86_400_000
  const instants = [0, 1, 999, 1000, DAY - 1, DAY, Date.now()]
  for (const year of [1970, 1972, 1999, 2000, 2001, 2026, 2028, 2038, 2099, 2100, 2101, 2400, 9999]) {
    for (const day of ['01-01', '02-28', '03-01', '12-31']) instants.push(Date.parse(`${year}-${day}`))
    instants.push(Date.parse(`${year}-03-01`) - 1, Date.parse(`${year}-12-31T23:59:59.999Z`))
  }
  for (let day = 0; day < 1500; day += 1) instants.push(Date.parse('2025-01-01') + day * DAY + day * 12_345)
  const lua = `${await script('includes/iso8601.lua')}
    local found = {}
    for i, ms in ipairs(ARGV) do found[i] = iso8601(tonumber(ms)) end
    return found`
  const found = await redis.cli('EVAL', lua, '0', ...instants.map(String))
  t.strictSame(
    found.split('\n'),
    instants.map((ms) => new Date(ms).toISOString()),
  )
})

t.test('every script documents its keys and result, and names its arguments', async (t) => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.lua'))
  t.strictSame(names.map((name) => name.replace('.lua', '')).sort(), [...SCRIPT_NAMES].sort())
  for (const name of SCRIPT_NAMES) {
    const text = await script(`${name}.lua`)
    t.match(
      text,
      /^(-- (include|args|fields): .*\n)*-- [A-Z].*\n(-- .*\n)*?-- KEYS {2}/,
      `${name}: purpose, then KEYS`,
    )
    t.match(text, /^-- Result {2}/m, `${name}: result`)
    t.notMatch(text, /ARGV\[\d|unpack\(ARGV\)|unpack\(ARGV, \d/, `${name}: no argument by its number`)
    const { values, lists, optional } = headerOf(text)
    t.strictSame(
      [...values, ...lists, ...optional],
      Object.keys(SCRIPTS[name].args),
      `${name}: the header has the names of its type`,
    )
    // A list that the header has as a value would be sent as the empty text.
    const lists_of_type = Object.entries(SCRIPTS[name].args).filter(([, sample]) => Array.isArray(sample))
    t.strictSame(
      lists,
      lists_of_type.map(([list]) => list),
      `${name}: the header has the lists of its type`,
    )
  }
})

t.test('every script and include file includes exactly what it calls', async (t) => {
  const helpers = (await readdir(new URL('includes/', FOLDER))).map((file) => file.replace('.lua', ''))
  const scripts = (await readdir(FOLDER)).filter((name) => name.endsWith('.lua'))
  const used = new Set<string>()
  for (const file of [...scripts, ...helpers.map((name) => `includes/${name}.lua`)]) {
    const text = await script(file)
    const included = [...text.matchAll(/^-- include: (.*)$/gm)].flatMap(([, names = '']) => names.split(', '))
    const code = text.replace(/^ *--.*$/gm, '')
    const own = file.replace('includes/', '').replace('.lua', '')
    const called = helpers.filter((name) => name !== own && new RegExp(`\\b${name}\\(`).test(code))
    t.strictSame(included.sort(), called.sort(), file)
    for (const name of included) used.add(name)
  }
  t.strictSame([...used].sort(), helpers.sort(), 'every include file is used')
})
