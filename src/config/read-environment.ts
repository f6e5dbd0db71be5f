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

/**
 * Reads environment variables and adds a line to `problems` for each invalid one. Blank and invalid variables count as
 * absent.
 */
export function readEnvironment(
  environment: Record<string, string | undefined>,
  problems: string[],
): Environment {
  const data = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
  try {
    return envSchema<Environment>({ schema: ENVIRONMENT, data, env: false })
  } catch (error) {
    const faults = (error as { errors?: SchemaError[] }).errors
    if (faults === undefined) throw error
    const bad = new Set(faults.map((fault) => fault.instancePath.slice(1)))
    problems.push(...faults.map(describeFault))
    return readEnvironment(
      Object.fromEntries(Object.entries(data).filter(([name]) => !bad.has(name))),
      problems,
    )
  }
}

function describeFault(fault: SchemaError): string {
  const name = fault.instancePath.slice(1)
  const allowed = fault.params.allowedValues
  return `${name} ${FORMS[name] ?? (allowed ? `must be one of ${allowed.join(', ')}` : fault.message)}`
}
