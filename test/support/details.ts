// A type of details (RFC 9396), and clients that ask for it.
import { DETAIL_TYPE } from '../../src/details/detail-type.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { changeClient } from './records.ts'

export const PAYMENT_SCHEMA = {
  type: 'object',
  properties: {
    amount: { type: 'number', minimum: 0, maximum: 1000, narrow: 'less' },
    currency: { type: 'string', enum: ['EUR', 'USD'] },
    creditor: { type: 'string', minLength: 1, maxLength: 300 },
    purpose: { type: 'string', maxLength: 140 },
    actions: {
      type: 'array',
      items: { type: 'string', enum: ['initiate', 'status', 'cancel'] },
      maxItems: 3,
    },
  },
  required: ['amount', 'currency', 'creditor'],
} as const

export const PAYMENT = { type: 'payment', amount: 12.5, currency: 'EUR', creditor: 'Merchant A' } as const

/** The parameter for objects; without any, for a payment. */
export const detailsOf = (...objects: readonly object[]) =>
  JSON.stringify(objects.length === 0 ? [PAYMENT] : objects)

/** Stores the type `payment`, and lets clients ask for it. */
export async function storePayments(
  storage: RecordStore,
  fields: Readonly<Record<string, string>> = {},
  clients: readonly string[] = ['shop'],
): Promise<void> {
  const text = JSON.stringify({
    en: 'Pay {amount} {currency} to {creditor}',
    de: '{amount} {currency} an {creditor} zahlen',
  })
  const hash = { schema: JSON.stringify(PAYMENT_SCHEMA), text, ...fields }
  await storage.records.put({ kind: DETAIL_TYPE, id: 'payment', hash })
  for (const client of clients)
    await changeClient(storage, client, { set: { authorization_details_types: 'payment' } })
}

/** Ten objects of a type, in as many bytes as details may have: more than a form of 16 KiB takes once they are encoded. */
export const LARGEST = Array.from({ length: 10 }, (_, place) => ({
  type: 'note',
  note: `${place} ${'漢'.repeat(262)}${place === 9 ? 'x'.repeat(51) : ''}`,
}))

/** Stores the type `note`, and lets clients ask for it. */
export async function storeNotes(storage: RecordStore, clients: readonly string[]): Promise<void> {
  const schema = { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] }
  const hash = { schema: JSON.stringify(schema), text: '{"en":"Keep the note {note}"}' }
  await storage.records.put({ kind: DETAIL_TYPE, id: 'note', hash })
  for (const client of clients)
    await changeClient(storage, client, { set: { authorization_details_types: 'note' } })
}
