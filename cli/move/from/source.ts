import type { CommandContext } from '../../command-context.ts'
import { linesOf } from '../../file-lines.ts'
import { readJson, readTextFile } from '../../import.ts'
import { isOwnClient, OWN_CLIENT, rightLost, withoutRights } from '../../rights-in-files.ts'
import type { Source } from '../import.ts'
import type { Conversion, ConversionContext, Converted, ForeignFile, LeftBehind } from './converted.ts'
import { incomingOf, type NewSecret } from './incoming.ts'
import { Notes } from './notes.ts'
import type { System } from './systems.ts'
import { Told } from './told.ts'

/** The records of a file of another system, and what is said of them. */
export interface ForeignSource {
  readonly source: Source
  /** What became of each field; complete once all records were read. */
  readonly told: () => Told
  /** The secrets that were made. */
  readonly secrets: readonly NewSecret[]
}

/**
 * Returns the records of a file of another system.
 * @param passwords for Auth0: the path of the export of password hashes
 */
export function foreignSource(
  { config, now }: CommandContext,
  system: System,
  path: string,
  passwords: string | undefined,
): ForeignSource {
  const context: ConversionContext = { groups_claim: config.settings.groups_claim, now: now() }
  const secrets: NewSecret[] = []
  let told = new Told()
  return {
    secrets,
    told: () => told,
    async *source() {
      told = new Told()
      const conversion = await convert(system, fileAt(path), context, passwords && fileAt(passwords))
      for await (const item of conversion) {
        if (item instanceof Notes) told.addFile(item)
        else {
          const taken = 'left_behind' in item ? item : takenOf(item)
          if ('left_behind' in taken) told.addLeftBehind(taken)
          else {
            told.add(taken)
            yield incomingOf(taken, now(), (secret) => secrets.push(secret))
          }
        }
      }
    },
  }
}

/** Returns what is taken of a record, whoever read it: no right at the admin API, and none of the clients of redmint. */
function takenOf(item: Converted): Converted | LeftBehind {
  const { kind, place, id, members, notes } = item
  if (kind === 'user') {
    const { admin, ...others } = members
    if (admin !== undefined) notes.lost('admin', 'rights at the admin API are given by redmint admin grant')
    return { ...item, members: others }
  }
  if (isOwnClient(id)) return { place, name: id, left_behind: OWN_CLIENT }
  const { allowed_scopes } = members
  if (!Array.isArray(allowed_scopes)) return item
  const { taken, lost } = withoutRights(allowed_scopes)
  for (const scope of lost) notes.lost('scope', rightLost(scope))
  return lost.length === 0 ? item : { ...item, members: { ...members, allowed_scopes: taken } }
}

// Each is loaded alone: that of Authelia needs a reader of YAML, that of Keycloak one of base32.
async function convert(
  system: System,
  file: ForeignFile,
  context: ConversionContext,
  passwords: ForeignFile | undefined | '',
): Promise<Conversion> {
  switch (system) {
    case 'keycloak':
      return (await import('./keycloak.ts')).convertKeycloak(file, context)
    case 'hydra':
      return (await import('./hydra.ts')).convertHydra(file)
    case 'auth0':
      return (await import('./auth0.ts')).convertAuth0(file, passwords || undefined)
    case 'authelia':
      return (await import('./authelia.ts')).convertAuthelia(file, context)
  }
}

function fileAt(path: string): ForeignFile {
  const text = () => readTextFile(path, () => Promise.resolve(''))
  return {
    text,
    json: async () => readJson(await text()),
    lines: () => linesOf(path),
  }
}
