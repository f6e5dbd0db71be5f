import type { LoadedRoom, OwnRoom } from '../plugins/room.ts'
import {
  type Context,
  type ContextOptions,
  completeContext,
  createGround,
  type ReplaceableParts,
} from '../src/context.ts'
import type { Log } from '../src/core/log.ts'
import { loadLanguages } from '../src/languages/load-languages.ts'
import { loadTracing } from '../src/tracing/load-tracing.ts'

/** The context of a service, and what its rooms add besides. */
export interface LoadedService {
  readonly context: Context
  readonly loaded: readonly LoadedRoom[]
}

/** Loads the rooms that are on, and builds the context. Nothing runs yet. @throws ConfigError */
export async function loadService(
  options: ContextOptions & ReplaceableParts,
  rooms: readonly OwnRoom[],
  log: Log,
): Promise<LoadedService> {
  const { settings, reads_environment } = options
  const on = rooms.filter(({ isOn }) => isOn?.(settings) ?? true)
  const [languages, tracing, clients, listed] = await Promise.all([
    loadLanguages(settings.languages_dir, reads_environment ? 'LANGUAGES_DIR' : 'languages_dir'),
    loadTracing(),
    Promise.all(on.map((room) => room.clients?.(settings) ?? [])),
    Promise.all(rooms.map((room) => room.listed?.() ?? [])),
  ])
  const own_clients = clients.flat()
  const ground = createGround({ ...options, ...tracing, languages, own_clients, listed: listed.flat() }, log)
  const loaded = await Promise.all(on.map((room) => room.load(ground)))
  return { context: completeContext(ground, loaded), loaded }
}
