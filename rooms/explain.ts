import type { OwnRoom } from '../plugins/room.ts'

/** What tests replace. */
export interface ExplainOptions {
  /** How many milliseconds refusals wait, to be written together. */
  readonly delay?: number
}

/** What explains refused requests, and how far connections came. */
export const explain = ({ delay }: ExplainOptions): OwnRoom => ({
  name: 'explain',
  isOn: ({ explain_max }) => explain_max > 0,
  async load(ground) {
    const { Recorder } = await import('../src/explain/recorder.ts')
    const { StepRecorder } = await import('../src/explain/step-recorder.ts')
    const recorder = new Recorder(ground, delay)
    const steps = new StepRecorder(ground, delay)
    return {
      hears: {
        refused: (refused) => recorder.take(refused),
        proven: (step) => steps.takeProven(step),
        unproven: (step) => steps.takeUnproven(step),
      },
      workers: [recorder, steps],
    }
  },
})
