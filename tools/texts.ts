import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT_PATH } from '../src/runtime/root.ts'
import { TABLE, textTable } from './house/texts.ts'

// Writes the table of all texts that users see. Texts that are new or changed have an empty last column: read them as their
// reader would, by CONTRIBUTING.md, and write there who has.
const path = join(ROOT_PATH, TABLE)
writeFileSync(path, textTable(existsSync(path) ? readFileSync(path, 'utf8') : ''))
