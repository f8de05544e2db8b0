import { postgresService } from '../../support/databases/postgres.ts'
import { databaseContract } from '../suite/index.ts'

databaseContract(postgresService, 'runs')
