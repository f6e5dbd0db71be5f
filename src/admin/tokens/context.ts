import type { Storage } from '../../storage/storage.ts'
import type { AdminContext } from '../operation/operation.ts'

/** What it takes to inspect and revoke tokens. */
export interface TokenContext extends Pick<AdminContext, 'storage' | 'settings' | 'report' | 'now'> {
  /**
   * Opens the same storage for codes and tokens in the other form of TOKENS_AT_REST; absent: servers have the form of this
   * process.
   */
  openOtherForm?(): Storage
}
