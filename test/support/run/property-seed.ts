import fc from 'fast-check'
import { seedOf } from './seeds.ts'

/** Properties use the seed that the run has printed. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedOf('PROPERTY_SEED') })
