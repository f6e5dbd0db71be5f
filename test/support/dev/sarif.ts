// What SARIF 2.1.0 demands of the objects that reports have: §3.13 to §3.58, and the schema of OASIS, which knows no others here.
import { type TProperties, Type } from '@sinclair/typebox'

const Closed = <Members extends TProperties>(members: Members) =>
  Type.Object(members, { additionalProperties: false })
const OneOf = <Value extends string>(...values: Value[]) =>
  Type.Union(values.map((value) => Type.Literal(value)))

const Text = Closed({ text: Type.String({ minLength: 1 }) })
const Level = OneOf('none', 'note', 'warning', 'error')

// §3.49
const Rule = Closed({
  id: Type.String({ minLength: 1 }),
  shortDescription: Text,
  fullDescription: Text,
  help: Text,
})
// §3.28, §3.29, §3.4
const Location = Closed({
  physicalLocation: Closed({ artifactLocation: Closed({ uri: Type.String({ minLength: 1 }) }) }),
})
// §3.27
const Result = Closed({
  ruleId: Type.String({ minLength: 1 }),
  ruleIndex: Type.Integer({ minimum: 0 }),
  kind: OneOf('pass', 'open', 'informational', 'notApplicable', 'review', 'fail'),
  level: Level,
  message: Text,
  locations: Type.Array(Location),
})
// §3.20, §3.58
const Invocation = Closed({
  executionSuccessful: Type.Boolean(),
  toolExecutionNotifications: Type.Optional(Type.Array(Closed({ level: Level, message: Text }))),
})
// §3.14, §3.18, §3.19
const Run = Closed({
  tool: Closed({
    driver: Closed({
      name: Type.String({ minLength: 1 }),
      // §3.19.12: as Semantic Versioning 2.0 has it.
      semanticVersion: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$' }),
      rules: Type.Array(Rule, { uniqueItems: true }),
    }),
  }),
  results: Type.Array(Result),
  invocations: Type.Array(Invocation),
})

/** §3.13: a log file. */
export const SarifLog = Closed({
  $schema: Type.String({ pattern: '^https://.*/sarif-schema-2\\.1\\.0\\.json$' }),
  version: Type.Literal('2.1.0'),
  runs: Type.Array(Run),
})
