/** Whether the long proofs run (`npm run test:proofs`): with more rounds, and on every storage. */
export const PROOFS = process.env.TEST_SUITE === 'proofs'
