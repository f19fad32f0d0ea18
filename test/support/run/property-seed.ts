import fc from 'fast-check'
import { seedOf } from './seeds.ts'

/** Passes the seed that the run has printed to fast-check. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedOf('PROPERTY_SEED') })
