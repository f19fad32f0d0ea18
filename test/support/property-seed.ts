import fc from 'fast-check'

/** Properties are tried with the seed that the run has printed. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.PROPERTY_SEED) })
