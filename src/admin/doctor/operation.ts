import { Type } from '@sinclair/typebox'
import { Finding } from '../../service/finding.ts'
import { byName, operation } from '../operation/operation.ts'

const Doctor = Type.Object(
  {
    problems: Type.Integer({ description: 'how many of the findings are problems' }),
    warnings: Type.Integer(),
    findings: Type.Array(Finding),
    left_out: Type.Array(Type.String(), {
      description: 'the checks that read all records, however many: `redmint doctor` on a host makes them',
    }),
  },
  { $id: 'redmint:Doctor', additionalProperties: false },
)

const doctor = operation({
  name: 'doctor',
  summary: 'What is wrong with Redis, the issuer, the proxy, the servers, keys, mail and what else they need',
  method: 'GET',
  path: '/doctor',
  scope: 'redmint:server:read',
  answer: Doctor,
  async run({ storage, settings, now, checks }) {
    // Servers that are never asked do not load it.
    const { examineAll } = await import('./examine.ts')
    const examined = { storage, settings, guesses_issuer: false, now }
    const { findings, left_out } = await examineAll(examined, false, checks)
    const numberOf = (level: Finding['level']) => findings.filter((one) => one.level === level).length
    return {
      body: { problems: numberOf('problem'), warnings: numberOf('warning'), findings, left_out },
    }
  },
})

/** What operators ask about the whole installation. */
export const DOCTOR_OPERATIONS = byName(doctor)
