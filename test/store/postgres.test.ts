import { testStoreContract } from './contract.ts'
import { postgresBackend } from './postgres-backend.ts'

testStoreContract(postgresBackend)
