import { postgresService } from '../../support/databases/postgres.ts'
import { serviceContract } from '../suite/index.ts'

serviceContract(postgresService)
