import { testStoreContract } from '../contract.ts'
import { sqliteBackend } from './backend.ts'

testStoreContract(sqliteBackend)
