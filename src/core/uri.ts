/** Whether a host name, as URL spells it, is a loopback name or address. */
export function isLoopbackHost(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** Appends parameters to a URI; its own query does not change (RFC 6749 §3.1.2). */
export function withQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const separator = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${separator}${new URLSearchParams(parameters)}`
}
