import { hookEndOfFile } from './file_end.ts'

hookEndOfFile()
