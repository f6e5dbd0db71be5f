import { envSchema } from 'env-schema'
import { ENVIRONMENT, type Environment } from './environment.ts'

// Messages for variables whose schema message is unclear.
const FORMS: Record<string, string> = {
  REDIS_URL: 'must begin with redis://, rediss:// or unix://',
  REDIS_CLUSTER_NODES: 'must be host:port,host:port,…',
  REDIS_SENTINELS: 'must be host:port,host:port,…',
  REDIS_KEY_PREFIX: 'must be 1 to 64 characters without braces and white space',
  KEY_ENCRYPTION_KEY: 'must be 32 bytes in base64: openssl rand -base64 32',
  PAIRWISE_SALT: 'must have 16 characters or more: openssl rand -base64 32',
}

interface SchemaError {
  instancePath: string
  message?: string
  params: { allowedValues?: string[] }
}

/** Reads the values of variables and adds a line to `problems` for each invalid one, which counts as absent. */
export function readEnvironment(values: Readonly<Record<string, string>>, problems: string[]): Environment {
  try {
    return envSchema<Environment>({ schema: ENVIRONMENT, data: { ...values }, env: false })
  } catch (error) {
    const faults = (error as { errors?: SchemaError[] }).errors
    if (faults === undefined) throw error
    const bad = new Set(faults.map((fault) => fault.instancePath.slice(1)))
    problems.push(...faults.map(describeFault))
    return readEnvironment(
      Object.fromEntries(Object.entries(values).filter(([name]) => !bad.has(name))),
      problems,
    )
  }
}

function describeFault(fault: SchemaError): string {
  const name = fault.instancePath.slice(1)
  const allowed = fault.params.allowedValues
  return `${name} ${FORMS[name] ?? (allowed ? `must be one of ${allowed.join(', ')}` : fault.message)}`
}
