#!/usr/bin/env node
// `npx svc` in a checkout keeps a link to the program, and this is where links of before lead.
import './svc.cjs'
