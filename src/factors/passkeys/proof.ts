import type { ProvenUse } from './verify.ts'

/** What a passkey proves, by the flags that were seen: `hwk` is one that cannot leave its device (RFC 8176 §2). */
export const proofBy = ({ backup_eligible }: Pick<ProvenUse, 'backup_eligible'>) =>
  ({ amr: [backup_eligible ? 'swk' : 'hwk', 'user', 'mfa'], acr: 'phr' }) as const
