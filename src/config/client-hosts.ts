/** The hosts whose metadata documents describe clients: all, none, or those of a list. */
export type ClientHosts = 'all' | 'none' | readonly string[]

// A name without a dot is no host on the Internet, but a word such as `true`.
const HOST = /^(?:localhost|(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)$/

/** Parses CLIENT_ID_METADATA. Adds a line to `problems` for each mistake. */
export function readClientHosts(text: string, problems: string[]): ClientHosts {
  if (text === 'on') return 'all'
  return text === 'off' ? 'none' : readHosts('CLIENT_ID_METADATA', text, problems, 'on, off, or ')
}

/** Parses a list of host names that commas separate. Adds a line to `problems` for each mistake. */
export function readHosts(
  variable: string,
  text: string | undefined,
  problems: string[],
  instead = '',
): readonly string[] {
  const hosts = (text ?? '').split(',').flatMap((host) => host.trim().toLowerCase() || [])
  for (const host of hosts.filter((host) => !HOST.test(host))) {
    problems.push(
      `${variable} has ${JSON.stringify(host)}: it must be ${instead}host names without scheme and port, separated by commas, such as example.com,*.example.org`,
    )
  }
  return hosts
}
