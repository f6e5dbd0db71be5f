// What a command on the host works with, without a command.
import type { CommandContext } from '../../../../cli/command-context.ts'
import { readConfig } from '../../../../src/config/config.ts'
import type { Settings } from '../../../../src/config/settings.ts'
import type { Storage } from '../../../../src/storage/storage.ts'

/** The context of a command on this storage. */
export function hostContext(storage: Storage, settings: Settings): CommandContext {
  return {
    storage,
    config: { ...readConfig({}), settings },
    openOtherForm: () => storage,
    guesses_issuer: false,
    report: () => {},
    now: Date.now,
  }
}
