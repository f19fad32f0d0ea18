import fc from 'fast-check'
import { seedOf } from './seeds.ts'

/** Passes fast-check the seed that this run has printed. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedOf('PROPERTY_SEED') })
