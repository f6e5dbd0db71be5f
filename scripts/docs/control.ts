import type { TSchema } from '@sinclair/typebox'
import { DEV_PATH, ENDPOINT_NAMES } from '../../dev/control/endpoints.ts'
import { REQUEST_FAULTS, type RequestFault } from '../../dev/control/faults/request-faults.ts'
import type { DevOperation } from '../../dev/control/operation.ts'
import { OPERATIONS } from '../../dev/control/operations.ts'
import { TOKEN_FAULTS } from '../../dev/control/tokens/token-faults.ts'
import { code, type MakePart, table } from './page.ts'

const TABLE = Object.values(OPERATIONS) as readonly DevOperation[]

/** The parts of the page about the control of a server for development. */
export const CONTROL_PARTS: Readonly<Record<string, MakePart>> = {
  'operations of control': () =>
    table(
      ['method', 'request', 'does'],
      TABLE.map(({ call, method, path, summary }) => [
        code(call),
        code(`${method} ${DEV_PATH}${path}`),
        summary,
      ]),
    ),
  'input of control': () =>
    table(
      ['request', 'member', 'holds'],
      TABLE.flatMap(({ path, input: { properties, required = [] } }) =>
        Object.entries(properties).map(([name, schema]) => [
          code(`${DEV_PATH}${path}`),
          `${code(name)}${required.includes(name) ? '' : ', optional'}`,
          holdsOf(name, schema),
        ]),
      ),
    ),
  'faults of tokens': () =>
    table(
      ['`fault`', 'of', 'the token is'],
      Object.entries(TOKEN_FAULTS).map(([name, { says, only }]) => [code(name), only ?? 'any', says]),
    ),
  'faults of requests': () =>
    table(
      ['`fault`', 'at', 'what happens'],
      Object.entries<RequestFault>(REQUEST_FAULTS).map(([name, { says, at }]) => [
        code(name),
        at === undefined ? 'any' : at.map(code).join(', '),
        says,
      ]),
    ),
  'endpoints of faults': () => `${ENDPOINT_NAMES.map(code).join(', ')}.`,
}

// Faults and endpoints have tables of their own.
function holdsOf(name: string, { description = '', enum: choices = [] }: TSchema): string {
  const listed = name === 'fault' || name === 'endpoint' ? [] : (choices as readonly string[])
  return [listed.map(code).join(', '), description].filter((part) => part !== '').join('; ')
}
