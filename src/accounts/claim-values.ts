import { ADDRESS_MEMBERS, isStandardClaim, STANDARD_CLAIMS, type StandardClaim } from './standard-claims.ts'

/** A claim as a record holds it, or what is wrong with it, in words that complete "<name> …". */
export type ReadClaim = { value: string } | { problem: string }

// OpenID Connect Core §5.1: ISO 8601-1, or the year alone, or 0000 for a year that is kept back.
const BIRTHDATE = /^(\d{4})(?:-(\d{2})-(\d{2}))?$/
const LAST_SECOND = 253_402_300_799
const MAX_CHARACTERS = 2048

/** Reads a standard claim (OpenID Connect Core §5.1) as JSON has it. */
export function readClaim(name: StandardClaim, given: unknown): ReadClaim {
  switch (STANDARD_CLAIMS[name]) {
    case 'boolean':
      return typeof given === 'boolean' ? { value: String(given) } : { problem: 'must be true or false' }
    case 'number':
      return isSeconds(given)
        ? { value: String(given) }
        : { problem: 'must be a number of seconds since 1970' }
    case 'address':
      return readAddress(given)
    default:
      return readText(name, given)
  }
}

/** Reads a standard claim from its text in a record or on a command line. */
export function readClaimText(name: StandardClaim, text: string): ReadClaim {
  if (STANDARD_CLAIMS[name] === 'string') return readClaim(name, text)
  try {
    return readClaim(name, JSON.parse(text))
  } catch {
    return readClaim(name, text)
  }
}

/** Whether a name in a set of claims can be one of a user; `sub` is none to choose. */
export function claimNameProblem(name: string): string | undefined {
  if (isStandardClaim(name)) return undefined
  return name === 'sub' ? 'is no claim to choose' : 'is no standard claim (OpenID Connect Core §5.1)'
}

function readText(name: StandardClaim, given: unknown): ReadClaim {
  if (typeof given !== 'string' || given.trim() === '') return { problem: 'must be a text' }
  if (given.length > MAX_CHARACTERS) return { problem: `must have at most ${MAX_CHARACTERS} characters` }
  if (/\p{Cc}/u.test(given) || !given.isWellFormed())
    return { problem: 'must be a text without control characters' }
  const problem = formProblem(name, given)
  return problem === undefined ? { value: given } : { problem }
}

function formProblem(name: StandardClaim, text: string): string | undefined {
  switch (name) {
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(text) ? undefined : 'must be an address such as alice@example.com'
    case 'profile':
    case 'picture':
    case 'website':
      return isWebAddress(text) ? undefined : 'must be an http or https URL'
    case 'birthdate':
      return isBirthdate(text) ? undefined : 'must be YYYY-MM-DD or YYYY'
    default:
      return undefined
  }
}

function readAddress(given: unknown): ReadClaim {
  const problem = `must be an object of texts: ${ADDRESS_MEMBERS.join(', ')}`
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return { problem }
  const members = Object.entries(given).filter(([, value]) => value !== null)
  const isGood = ([name, value]: [string, unknown]) =>
    ADDRESS_MEMBERS.includes(name) && typeof value === 'string' && value.trim() !== '' && value.isWellFormed()
  if (members.length === 0 || !members.every(isGood)) return { problem }
  const value = JSON.stringify(Object.fromEntries(members))
  return value.length > MAX_CHARACTERS
    ? { problem: `must have at most ${MAX_CHARACTERS} characters` }
    : { value }
}

function isSeconds(given: unknown): boolean {
  return Number.isSafeInteger(given) && Number(given) >= 0 && Number(given) <= LAST_SECOND
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text)
}

function isBirthdate(text: string): boolean {
  const [, year, month, day] = BIRTHDATE.exec(text) ?? []
  if (year === undefined) return false
  if (month === undefined) return true
  // A leap year stands for the one that is kept back.
  const date = new Date(`${year === '0000' ? '2000' : year}-${month}-${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day)
}
