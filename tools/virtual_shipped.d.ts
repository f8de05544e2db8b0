/** Files that ship with the program, as the bundler of the Worker puts them in (worker.ts). */
declare module 'virtual:shipped' {
  export const VERSION: string
  /** Text of src/web/public/_headers. */
  export const PAGE_HEADERS: string
  /** Each migration, in order, its texts without comments. */
  export const MIGRATIONS: readonly import('../src/sql/migrate.ts').ShippedMigration[]
}
