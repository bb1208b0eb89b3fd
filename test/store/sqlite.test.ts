import { testStoreContract } from './contract.ts'
import { sqliteBackend } from './sqlite-backend.ts'

testStoreContract(sqliteBackend)
