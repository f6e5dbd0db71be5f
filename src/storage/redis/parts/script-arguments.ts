/** An argument as Redis gets it. */
export type Argument = string | number

/** A value of an argument by name. Absent and false are sent as the empty text, true as 1, a list as several arguments. */
export type NamedValue = Argument | boolean | undefined | readonly Argument[]

/**
 * The arguments of a script in the order of its header: `-- args: name, …, list[], …, name?, …`. The last ones are
 * optional: if all that follow are empty as well, they are not sent.
 */
export interface ScriptHeader {
  readonly values: readonly string[]
  readonly lists: readonly string[]
  readonly optional: readonly string[]
}

const HEADER = /^-- args: (.*)\n/gm

/** Returns the header of a script's text. @throws TypeError if its arguments are in another order */
export function headerOf(lua: string): ScriptHeader {
  const names = [...lua.matchAll(HEADER)].flatMap(([, line = '']) => line.split(', '))
  const optional = names.filter((name) => name.endsWith('?'))
  const lists = names.filter((name) => name.endsWith('[]'))
  const values = names.slice(0, names.length - lists.length - optional.length)
  if ([...values, ...lists, ...optional].join() !== names.join())
    throw new TypeError(`not values, lists and optional values: ${names.join()}`)
  return {
    values,
    lists: lists.map((name) => name.slice(0, -2)),
    optional: optional.map((name) => name.slice(0, -1)),
  }
}

/**
 * Returns a script's text with a local for each argument in place of its header. A list has two, `<name>_first` and
 * `<name>_last`: its positions in ARGV. Each list but one at the end comes after the number of its arguments.
 */
export function withLocals(lua: string): string {
  const { values, lists, optional } = headerOf(lua)
  const lines = []
  if (values.length > 0) {
    lines.push(`local ${values.join(', ')} = ${values.map((_, i) => `ARGV[${i + 1}]`).join(', ')}\n`)
  }
  let at = `${values.length + 1}`
  for (const [i, name] of lists.entries()) {
    const is_last = i === lists.length - 1 && optional.length === 0
    const [first, last] = is_last ? [at, '#ARGV'] : [`${at} + 1`, `${at} + tonumber(ARGV[${at}])`]
    lines.push(`local ${name}_first, ${name}_last = ${first}, ${last}\n`)
    at = `${name}_last + 1`
  }
  if (optional.length > 0) {
    lines.push(
      `local ${optional.join(', ')} = ${optional.map((_, i) => `ARGV[${at} + ${i}] or ''`).join(', ')}\n`,
    )
  }
  return lines.join('') + lua.replace(HEADER, '')
}

/** Adds named arguments to those of a command, in the order of a header. */
export function addArguments(
  command: string[],
  { values, lists, optional }: ScriptHeader,
  named: Readonly<Record<string, NamedValue>>,
): void {
  for (const name of values) command.push(argumentOf(named[name]))
  const last_list = optional.length > 0 ? lists.length : lists.length - 1
  for (const [i, name] of lists.entries()) {
    const value = named[name]
    const list: readonly Argument[] = Array.isArray(value) ? value : []
    if (i < last_list) command.push(String(list.length))
    for (const argument of list) command.push(argumentOf(argument))
  }
  let sent = optional.length
  while (sent > 0 && argumentOf(named[optional[sent - 1] ?? '']) === '') sent--
  for (let i = 0; i < sent; i++) command.push(argumentOf(named[optional[i] ?? '']))
}

function argumentOf(value: NamedValue): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return value === true ? '1' : ''
}
