import { writeFileSync } from 'node:fs'
import { ROOT_PATH } from '../src/runtime/root.ts'
import { demoPicture } from './pictures/demo.ts'

writeFileSync(`${ROOT_PATH}docs/images/demo.svg`, await demoPicture())
