import { postgresService } from '../support/postgres.ts'
import { serviceContract } from './suite/index.ts'

serviceContract(postgresService)
