// Compiled against the package's types as its users do.
import { Description, Model, News, Polhode, PolhodeError, Simulation, load } from "polhode";

export async function all(bytes: ArrayBuffer): Promise<Float64Array> {
    const polhode: Polhode = await load(bytes);
    polhode.files.set("roof.obj", new Uint8Array());
    const model: Model = polhode.model({ polhode: 1, bodies: [] }, { settings: { g: 9.81, l: "2*g" } });
    const simulation: Simulation = model.simulation({ scheme: "rattlie", step: 1e-3 });
    try {
        simulation.step(10);
        simulation.pull(0, [0, 0, 0], new Float64Array(3));
    } catch (e) {
        if (e instanceof PolhodeError) console.log(e.message);
    }
    const news: News | null = simulation.news();
    const told: Description = simulation.describe();
    // @ts-expect-error: a step is a number
    simulation.step("ten");
    return news?.reset ? simulation.positions : new Float64Array(told.columns.length);
}
