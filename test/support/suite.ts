/** Whether the long proofs run (`npm run test:proofs`): with more rounds. */
export const PROOFS = process.env.TEST_SUITE === 'proofs'

/** Whether the weekly proofs run (`npm run test:weekly`): the rules of endpoints on every storage. */
export const WEEKLY = process.env.TEST_SUITE === 'weekly'
