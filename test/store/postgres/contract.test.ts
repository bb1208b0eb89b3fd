import { testStoreContract } from '../contract.ts'
import { postgresBackend } from './backend.ts'

testStoreContract(postgresBackend)
