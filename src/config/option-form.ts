/** A setting whose option has another form than its variable. The rules of its value are the same for both. */
export interface OptionForm<Value> {
  /** What the variable must be, in a message. */
  readonly variable: string
  /** What the option must be, in a message. */
  readonly option: string
  /** The value if there is neither a variable nor a default. */
  readonly absent?: Value
  /** Reads the text of the variable. Adds to `faults` those that only a text can have. Undefined: it is malformed. */
  parse(text: string, faults: string[]): Value | undefined
  /** Whether an option has the form. */
  accepts(value: unknown): boolean
  /** Returns what a value contains that is not allowed, each as the end of a message: `has "x": it must be …`. */
  faults?(value: Value, wanted: string): string[]
}

/** The part of it that is about the option. */
export type OptionRule = Pick<OptionForm<unknown>, 'option' | 'accepts' | 'faults'>

interface List<Entry extends string> {
  readonly variable: string
  readonly option: string
  isEntry(text: string): boolean
  split(text: string): readonly Entry[]
}

/** The form of a list of words, which is an array as option. */
export function listOf<Entry extends string>(list: List<Entry>): OptionForm<readonly Entry[]> {
  return {
    variable: list.variable,
    option: list.option,
    absent: [],
    parse: list.split,
    accepts: (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
    faults: (entries, wanted) => {
      const wrong = entries.filter((entry) => !list.isEntry(entry))
      // What is before an "@" may be a piece of a password, with a comma in it.
      if (wrong.length > 0 && entries.some((entry) => entry.includes('@'))) {
        return [`has an "@", as of a user name or password: it must be ${wanted}`]
      }
      return wrong.map((entry) => `has ${JSON.stringify(entry)}: it must be ${wanted}`)
    },
  }
}

/** Splits a list at its commas. */
export function splitAtCommas(text: string): readonly string[] {
  return text.split(',').map((entry) => entry.trim())
}

/** Reads a variable. Adds a line to `problems` for each mistake; a malformed one counts as absent. */
export function readVariable<Value>(
  form: OptionForm<Value>,
  name: string,
  text: string | undefined,
  problems: string[],
): Value | undefined {
  if (text === undefined) return form.absent
  const faults: string[] = []
  const value = form.parse(text, faults)
  if (value === undefined) faults.push(`must be ${form.variable}`)
  else faults.push(...(form.faults?.(value, form.variable) ?? []))
  problems.push(...faults.map((fault) => `${name} ${fault}`))
  return value ?? form.absent
}

/** Returns what is wrong with an option, each as the end of a message. */
export function ruleProblems(rule: OptionRule, value: unknown): string[] {
  if (!rule.accepts(value)) return [`must be ${rule.option}`]
  return rule.faults?.(value, rule.option) ?? []
}
