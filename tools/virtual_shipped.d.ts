/** Files that ship with the program, as the bundler of the Worker puts them in (worker.ts). */
declare module 'virtual:shipped' {
  export const VERSION: string
  /** Text of src/web/public/_headers. */
  export const PAGE_HEADERS: string
  /** File name of each migration, in order, its text without comments, and the checksum of the whole. */
  export const MIGRATIONS: Readonly<
    Record<'sqlite' | 'postgres', readonly (readonly [name: string, text: string, checksum: string])[]>
  >
}
