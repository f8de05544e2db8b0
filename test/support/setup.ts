import { RECORDS } from './corpus.ts'
import { hookEndOfFile } from './file_end.ts'

// Two recordings draw the same.
if (RECORDS) (await import('fast-check')).configureGlobal({ seed: 1 })
hookEndOfFile()
