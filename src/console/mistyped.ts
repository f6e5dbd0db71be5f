import { invalidField } from '../admin/operation/problem.ts'

/** The error of a form in which a name was to be typed, so that nothing happens by mistake. */
export const mistyped = (what: string) => invalidField('typed', `This is not the ${what}: nothing was done.`)
