/** The ways of a sign-in (RFC 8176) in words. */
const WAYS: Readonly<Record<string, string>> = {
  pwd: 'with a password',
  otp: 'with a code',
  hwk: 'with a passkey',
  swk: 'with a passkey',
  fed: 'by another site',
  mfa: 'in two steps',
  kba: 'with a recovery code',
  user: '',
  pin: '',
}

/** How somebody signed in, in words; an unknown way is called as scripts call it. */
export function howText(amr: readonly string[]): string {
  const ways = [...new Set(amr.map((way) => WAYS[way] ?? way))].filter((way) => way !== '')
  // Two ways are two steps.
  const named = ways.length > 2 ? ways.filter((way) => way !== WAYS.mfa) : ways
  return named.join(' and ')
}
