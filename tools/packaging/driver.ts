import type { Plugin } from 'rolldown'

/**
 * Takes the driver of SQLite into the bundle, but for its native part, which it finds without a report of the whole
 * process and without `child_process`: those take twice as long as all the rest of the driver.
 */
export const bundledDriver: Plugin = {
  name: 'driver',
  transform: {
    filter: { id: /\/node_modules\/libsql\/index\.js$/ },
    handler: (code, id) => EDITS.reduce((text, edit) => edited(text, edit, id), code),
  },
}

/** A text in a module, and its replacement. */
export type Edit = readonly [found: string, put: string]

const EDITS: readonly Edit[] = [
  ['const { load, currentTarget } = require("@neon-rs/load");', ''],
  [
    'const { familySync, GLIBC, MUSL } = require("detect-libc");',
    `const { existsSync } = require("node:fs");
// The packages of its native part lie where the driver itself finds them.
const near = require("node:module").createRequire(require.resolve("libsql"));
const MUSL_LOADERS = { x64: "/lib/ld-musl-x86_64.so.1", arm64: "/lib/ld-musl-aarch64.so.1" };`,
  ],
  [
    'function requireNative() {',
    `function requireNative() {
  const musl = MUSL_LOADERS[process.arch];
  // Where musl is, glibc may be too, and the driver finds out which of them this process has.
  if (process.platform === "linux" && musl !== undefined && !existsSync(musl)) {
    return near(\`@libsql/linux-\${process.arch}-gnu\`);
  }
  const { load, currentTarget } = near("@neon-rs/load");
  const { familySync, GLIBC, MUSL } = near("detect-libc");`,
  ],
  ['return require(`@libsql/${target}`);', 'return near(`@libsql/${target}`);'],
]

/** Throws where a newer version of the module lacks the text. */
export function edited(code: string, [found, put]: Edit, id: string): string {
  if (!code.includes(found)) throw new Error(`${id} no longer has: ${found}`)
  return code.replace(found, () => put)
}
