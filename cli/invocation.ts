import { basename, relative } from 'node:path'

/**
 * Returns the command that started this process, so that the examples of the help can be pasted where it was asked for.
 * @param script the path of the started script
 * @param environment tells whether npx started it
 */
export function invocationOf(
  script: string,
  folder: string,
  { npm_command }: Readonly<Record<string, string | undefined>>,
): string {
  const path = relative(folder, script)
  if (path.endsWith('.ts')) return `npx tsx ${path}`
  // The package and the image have a link with the name of the command.
  if (basename(path) !== 'redmint') return `node ${path}`
  return npm_command === 'exec' ? 'npx redmint' : 'redmint'
}
