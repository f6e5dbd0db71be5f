export { storageContract } from '../test/system/contract/storage-contract.ts'
export type { ContractSubject, Make, Subject } from '../test/system/contract/subject.ts'
