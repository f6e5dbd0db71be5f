import { PROVIDERS } from '../../src/admin/providers/providers.ts'
import { clientSecretProblem, openClientSecret } from '../../src/providers/client-secret.ts'
import { presetFields } from '../../src/providers/presets.ts'
import { PROVIDER, parseProvider } from '../../src/providers/provider-record.ts'
import type { Calls } from '../calls.ts'
import type { CommandContext } from '../command-context.ts'
import { planSimple, type SimpleEntry } from './simple.ts'
import type { ApplyStep, Ownership } from './step.ts'

/** Returns the work for a declared provider, and for its secret; reports problems to `fail`. */
export async function planProvider(
  { storage, config: { settings } }: Pick<CommandContext, 'storage' | 'config'>,
  calls: Calls,
  entry: SimpleEntry,
  own: Ownership,
  fail: (problem: string) => void,
): Promise<ApplyStep> {
  const { id: provider, set, client_secret } = entry
  const step = await planSimple(calls, PROVIDERS, entry, own, fail)
  const sealed = (await storage.records.read(PROVIDER, provider))?.hash.client_secret_sealed
  const declared = { ...presetFields(provider, set), ...set, ...(sealed && { client_secret_sealed: sealed }) }
  const wanted = parseProvider(provider, declared)
  if (!wanted.ok || client_secret === undefined) return step
  const problem = clientSecretProblem(wanted.record, client_secret)
  if (problem !== undefined) fail(`client_secret ${problem}`)
  if ((await openClientSecret({ storage, settings }, wanted.record)) === client_secret) return step
  const { action, write } = step
  return {
    ...step,
    differences: [...step.differences, { field: 'client_secret' }],
    action: action === 'unchanged' ? 'change' : action,
    outcome: 'not_written',
    async write() {
      const written = (await write?.()) ?? 'done'
      if (written === 'done')
        await calls.call('set_provider_secret', { params: { provider }, body: { client_secret } })
      return written
    },
  }
}
