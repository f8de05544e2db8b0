import { configureGlobal } from 'fast-check'
import { readPlan } from './plan.ts'

// Properties draw the same values with a mutant and without it, and fewer than they do otherwise.
configureGlobal({ seed: readPlan().seed, numRuns: 20 })
