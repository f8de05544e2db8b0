import { postgresService } from '../../support/databases/postgres.ts'
import { cellsContract } from '../suite/features/cells/cells.ts'

cellsContract(postgresService)
