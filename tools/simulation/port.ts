import { type Result, type Sql, SqlError, type Statement } from '../../src/sql/port.ts'
import type { Agenda, Mortal } from './agenda.ts'
import type { Chance } from './chance.ts'
import { SIMULATED_CLOCK, type SimulatedDatabase } from './database.ts'
import type { Faults } from './faults.ts'

/** What the databases of all servers of a world are made of. */
export interface Wires {
  readonly agenda: Agenda
  readonly database: SimulatedDatabase
  readonly faults: Faults
  readonly chance: Chance
  /** Share of answers that are late: others go on before them. */
  readonly lateAnswers: number
  /** Whether the servers have no clock but the database's, as with a SQLite file. */
  readonly sharesClock: boolean
}

/** The database as one server reaches it: every call waits its turn, and may fail, or be the server's last. */
export function portOf(wires: Wires, server: Mortal): Sql {
  const { agenda, database } = wires
  const read = (statements: readonly Statement[]): Promise<Result[]> =>
    agenda.wait(server, `reads ${statements.length}`, () => {
      const fault = wires.faults.at('read')
      if (fault === 'server killed before a read') return server.die()
      if (fault !== undefined) throw new SqlError('unavailable', 'the connection was lost')
      return answered(wires, server, database.read(statements))
    })
  return {
    dialect: 'sqlite',
    clock: wires.sharesClock ? { ...SIMULATED_CLOCK, isLocal: true } : SIMULATED_CLOCK,
    // A timer would let the machine's time into the world.
    options: { timeoutMs: Number.POSITIVE_INFINITY },
    query: async statement => (await read([statement]))[0]!,
    snapshot: read,
    batch: statements =>
      agenda.wait(server, `writes ${statements.length}`, () => write(wires, server, statements)),
    check: async statement => void (await read([statement])),
    close: async () => {},
  }
}

/** The database without anything between, for what is no part of a world. */
export function directPort(database: SimulatedDatabase): Sql {
  return {
    dialect: 'sqlite',
    clock: SIMULATED_CLOCK,
    // A timer would let the machine's time into the world.
    options: { timeoutMs: Number.POSITIVE_INFINITY },
    query: async statement => database.read([statement])[0]!,
    snapshot: async statements => database.read(statements),
    batch: async statements => database.write(statements),
    check: async () => {},
    close: async () => {},
  }
}

/** A standby, for what may be late. Nothing can be written to it. */
export function followerOf({ agenda, database, faults }: Wires, server: Mortal): Sql {
  const read = (statements: readonly Statement[]): Promise<Result[]> =>
    agenda.wait(server, `reads ${statements.length} from the standby`, () => {
      const fault = faults.at('follower')
      if (fault === 'standby lost') throw new SqlError('unavailable', 'the standby was lost')
      return database.readStandby(statements, fault !== undefined)
    })
  return {
    dialect: 'sqlite',
    clock: SIMULATED_CLOCK,
    // A timer would let the machine's time into the world.
    options: { timeoutMs: Number.POSITIVE_INFINITY },
    query: async statement => (await read([statement]))[0]!,
    snapshot: read,
    batch: async () => {
      throw new SqlError('unavailable', 'a standby takes no writes')
    },
    check: async () => {},
    close: async () => {},
  }
}

function write(wires: Wires, server: Mortal, statements: readonly Statement[]): Result[] | Promise<Result[]> {
  const { database, chance } = wires
  const fault = wires.faults.at('batch')
  switch (fault) {
    case undefined:
      return answered(wires, server, database.write(statements))
    case 'batch refused: busy':
      throw new SqlError('busy', 'the ledger is locked')
    case 'batch refused: serialization':
      throw new SqlError('serialization', 'another transaction won')
    case 'batch refused: connection lost':
      throw new SqlError('unavailable', 'the connection was lost')
    case 'batch rolled back, answer lost':
      database.write(statements, chance.below(statements.length))
      throw uncertain()
    case 'batch committed, answer lost':
      database.write(statements)
      throw uncertain()
    case 'batch committed later, answer lost':
      database.writeLater(statements, chance.is(0.8))
      throw uncertain()
    case 'server killed before a batch':
      return server.die()
    case 'server killed between two statements':
      database.write(statements, chance.below(statements.length))
      return server.die()
    case 'server killed after a commit':
      database.write(statements)
      return server.die()
  }
}

function uncertain(): SqlError {
  return new SqlError('uncertain', 'the connection was lost while the transaction was committed')
}

function answered(
  { agenda, chance, lateAnswers }: Wires,
  server: Mortal,
  results: Result[],
): Result[] | Promise<Result[]> {
  return chance.is(lateAnswers) ? agenda.wait(server, 'is answered', () => results) : results
}
