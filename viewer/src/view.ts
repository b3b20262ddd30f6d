// What is drawn of one result: its bodies, and the marks on them.

import * as THREE from "three";
import { Bodies } from "./bodies";
import { AnchorMarks, Arrows, FrameMarks, JointMarks, SpinMarks, SpringMarks } from "./marks";
import { RESULT_COLOURS } from "./palette";
import type { Result } from "./result";
import { formatNumber } from "./text";

export interface MarkOptions {
    joints: boolean;
    frames: boolean;
    contacts: boolean;
    reactions: boolean;
}

const CONTACT_DOTS = 16384;
const CONTACT_ARROWS = 400; // contacts beyond which there are dots alone

// Arrows are as long as the largest forces ask for, as parts of the extent.
const USUAL_ARROW = 0.16, LONGEST_ARROW = 0.4;

function contactDots(): THREE.Points {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * CONTACT_DOTS), 3));
    const dots = new THREE.Points(geometry, new THREE.PointsMaterial({ color: "#e5484d", size: 5, sizeAttenuation: false, depthTest: false }));
    dots.frustumCulled = false;
    dots.renderOrder = 8; // over the bodies
    return dots;
}

export class View {
    readonly group = new THREE.Group();
    readonly bodies: Bodies;
    readonly springs: SpringMarks;
    visible = true;
    private readonly joints: JointMarks;
    private readonly frames: FrameMarks;
    private readonly spins: SpinMarks;
    private readonly contacts: Arrows;
    private readonly reactions: Arrows;
    private readonly dots = contactDots();
    private contactForce = 0; // usual sizes of forces
    private reactionForce = 0;
    private extent = 1;

    constructor(readonly result: Result, index: number, extent: number, anchorMaterial: THREE.Material) {
        const size = 0.014 * extent;
        this.bodies = new Bodies(result, extent, index > 0, RESULT_COLOURS[index % RESULT_COLOURS.length]);
        this.joints = new JointMarks(result, size);
        this.frames = new FrameMarks(this.bodies, 0.03 * extent);
        this.spins = new SpinMarks(this.bodies);
        this.springs = new SpringMarks(result, 1.6 * size);
        this.contacts = new Arrows("#e5484d", 0.28 * extent);
        this.reactions = new Arrows("#f5a524", 0.28 * extent);
        const anchors = new AnchorMarks(result, 0.85 * size, extent, anchorMaterial);
        this.group.add(this.bodies.group, this.joints.group, this.frames.group, this.spins.group, this.springs.group, anchors.group, this.contacts.group, this.reactions.group, this.dots);
        this.measureForces();
    }

    measureForces(): void {
        this.contactForce = this.usualSize("contacts.force");
        this.reactionForce = Math.max(0, ...this.result.scene.joints.slice(0, 64).map((j) => this.usualSize(`joints.${j.name}.force`)));
    }

    // A length that most vectors of the field do not exceed.
    private usualSize(name: string): number {
        const { result } = this;
        const all = result.field(name)?.data;
        const data = name.startsWith("contacts.") && result.contactStart ? all?.subarray(0, 3 * result.contactStart[result.frames]) : all?.subarray(0, 3 * result.frames);
        if (!data || data.length < 3) return 0;
        const sizes: number[] = [];
        const stride = 3 * Math.max(1, Math.floor(data.length / 3 / 4000));
        for (let i = 0; i + 2 < data.length; i += stride) {
            const s = Math.hypot(data[i], data[i + 1], data[i + 2]);
            if (Number.isFinite(s)) sizes.push(s);
        }
        sizes.sort((a, b) => a - b);
        return sizes[Math.floor(0.97 * (sizes.length - 1))] ?? 0;
    }

    // For the extent that the room has now.
    updateMarks(time: number, options: MarkOptions, extent: number): void {
        this.extent = extent;
        const frame = this.result.frameAt(time);
        this.joints.group.visible = options.joints;
        this.frames.group.visible = options.frames;
        if (options.joints) this.joints.update(this.bodies);
        if (options.frames) this.frames.update();
        this.spins.update();
        this.springs.update(this.bodies);
        this.updateContacts(frame, options.contacts);
        this.updateReactions(frame, options.reactions);
    }

    private updateContacts(frame: number, wanted: boolean): void {
        const start = this.result.contactStart;
        const shown = wanted && start !== null;
        this.contacts.group.visible = this.dots.visible = shown;
        if (!shown) return;
        const points = this.result.field("contacts.point")!.data;
        const forces = this.result.field("contacts.force")!.data;
        const first = start[frame], last = start[frame + 1];
        if (this.contactForce === 0 && last > first) this.contactForce = this.usualSize("contacts.force"); // live: the first
        const p = new THREE.Vector3(), f = new THREE.Vector3();
        const dots = this.dots.geometry.getAttribute("position") as THREE.BufferAttribute;
        const arrows = last - first <= CONTACT_ARROWS;
        (this.dots.material as THREE.PointsMaterial).size = arrows ? 5 : 3;
        this.contacts.begin(arrows ? last - first : 0);
        for (let i = first; i < last; i++) {
            p.set(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
            f.set(forces[3 * i], forces[3 * i + 1], forces[3 * i + 2]);
            if (i - first < CONTACT_DOTS) dots.setXYZ(i - first, p.x, p.y, p.z);
            if (arrows) this.contacts.add(p, f, this.arrowLength(f, this.contactForce));
        }
        this.contacts.end();
        this.dots.geometry.setDrawRange(0, Math.min(last - first, CONTACT_DOTS));
        dots.needsUpdate = true;
    }

    private updateReactions(frame: number, wanted: boolean): void {
        const shown = wanted && this.reactionForce > 0;
        this.reactions.group.visible = shown;
        if (!shown) return;
        const p = new THREE.Vector3(), f = new THREE.Vector3();
        this.reactions.begin(this.result.scene.joints.length);
        for (const joint of this.result.scene.joints) {
            const data = this.result.field(`joints.${joint.name}.force`)?.data;
            if (!data) continue;
            f.set(data[3 * frame], data[3 * frame + 1], data[3 * frame + 2]);
            this.reactions.add(this.bodies.worldPoint(joint.b, joint.anchor_b, p), f, this.arrowLength(f, this.reactionForce));
        }
        this.reactions.end();
    }

    // What the arrows mean, for the corner of the picture.
    arrowNote(options: MarkOptions): string {
        const usual = options.reactions && this.reactionForce > 0 ? this.reactionForce : options.contacts ? this.contactForce : 0;
        if (!(usual > 0)) return "";
        const round = Math.pow(10, Math.floor(Math.log10(usual)));
        const force = round * (usual / round >= 5 ? 5 : usual / round >= 2 ? 2 : 1);
        return `${options.reactions ? "reaction" : "contact"} arrows: ${formatNumber((USUAL_ARROW * this.extent) * (force / usual))} m are ${formatNumber(force)} N`;
    }

    private arrowLength(force: THREE.Vector3, usual: number): number {
        const scale = usual > 0 ? (USUAL_ARROW * this.extent) / usual : 0;
        return Math.min(scale * force.length(), LONGEST_ARROW * this.extent);
    }

    // What is drawn of the contacts, for tests: points, forces, and how many arrows.
    contactsAt(time: number): { points: number[][]; forces: number[][]; arrows: number } {
        const { result, contacts } = this;
        const frame = result.frameAt(time);
        const read = (name: string) => {
            const data = result.field(name)?.data;
            if (!data || !result.contactStart) return [];
            const [first, last] = [result.contactStart[frame], result.contactStart[frame + 1]];
            return Array.from({ length: last - first }, (_, i) => [...data.subarray(3 * (first + i), 3 * (first + i) + 3)]);
        };
        return { points: read("contacts.point"), forces: read("contacts.force"), arrows: contacts.group.visible ? contacts.count : 0 };
    }
}
