import { fileURLToPath } from 'node:url'

/**
 * The folder of the package. Sources and what is built of them lie two levels below it, this file among them; whoever
 * needs a file of the package asks here.
 */
export const ROOT = new URL('../../', import.meta.url)

/** The same as a path, which ends with a separator. */
export const ROOT_PATH = fileURLToPath(ROOT)

/** The folder of what runs: the sources, or what is built of them. */
export const CODE = new URL('../', import.meta.url)
