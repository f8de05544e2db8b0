// Vue is found from a page only within this folder.
import { cpSync, rmSync } from 'node:fs'

rmSync('pages', { recursive: true, force: true })
cpSync('../docs', 'pages', { recursive: true })
