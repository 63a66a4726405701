//! Plots of links over time, as SVG without scripts.
//!
//! The colours are two of Okabe and Ito, which people with any kind of colour vision can
//! distinguish. Each line also has its own combination of marker and dash.

use std::fmt::Debug;

use plotters::coord::Shift;
use plotters::coord::types::{RangedCoordi32, RangedCoordu64};
use plotters::element::{DashedPathElement, DynElement, IntoDynElement};
use plotters::prelude::*;

use super::days::Step;
use super::number;

/// The sizes for a wide and for a narrow screen.
pub(super) const WIDE: (u32, u32) = (860, 340);
pub(super) const NARROW: (u32, u32) = (400, 300);
/// The size of a small line.
const SMALL: (u32, u32) = (240, 64);
/// The height of a row of the legend.
const ROW: usize = 28;
const FONT: (&str, u32) = ("sans-serif", 16);

/// A line of the plot: its name and its points, in order.
pub(super) struct Curve {
    pub name: &'static str,
    pub look: Look,
    pub points: Vec<(i32, u64)>,
    /// The last point is that of a part of its step. It is hollow, at the end of dots.
    pub is_cut: bool,
}

/// Steps, and the number of links in each.
type Points = [(i32, u64)];

impl Curve {
    /// The points of the line, and those of the dots at its end.
    fn parts(&self) -> (&Points, &Points) {
        let end = self.points.len() - usize::from(self.is_cut && self.points.len() > 1);
        let dots = if end < self.points.len() {
            end - 1
        } else {
            end
        };
        (&self.points[..end], &self.points[dots..])
    }
}

/// The colour, marker and dash of a line.
#[derive(Clone, Copy)]
pub(super) struct Look {
    color: RGBColor,
    shape: Marker,
    is_dashed: bool,
}

#[derive(Clone, Copy)]
enum Marker {
    Circle,
    Triangle,
}

/// The corners of a hollow triangle, around its place.
const TRIANGLE: [(i32, i32); 4] = [(-5, 4), (0, -5), (5, 4), (-5, 4)];

/// The looks of the links by authors, and of those by programs.
pub(super) const AUTHORS: Look = look(RGBColor(0, 114, 178), Marker::Circle, false);
pub(super) const MACHINES: Look = look(RGBColor(213, 94, 0), Marker::Triangle, true);

const fn look(color: RGBColor, shape: Marker, is_dashed: bool) -> Look {
    Look {
        color,
        shape,
        is_dashed,
    }
}

type Failed<'b> = DrawingAreaErrorKind<<SVGBackend<'b> as DrawingBackend>::ErrorType>;

/// The plot. Empty if there are no points.
pub(super) fn plot(lines: &[Curve], step: Step, size: (u32, u32)) -> String {
    let mut svg = String::new();
    // OK to ignore: writing to a string does not fail.
    let _ = draw(&mut svg, lines, step, size);
    svg
}

fn draw<'b>(
    svg: &'b mut String,
    lines: &[Curve],
    step: Step,
    size: (u32, u32),
) -> Result<(), Failed<'b>> {
    let points = lines.iter().flat_map(|line| &line.points);
    let steps = points.clone().map(|point| point.0);
    let (Some(first), Some(last)) = (steps.clone().min(), steps.max()) else {
        return Ok(());
    };
    let most = points.map(|point| point.1).max().unwrap_or(0);
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    let width = lines.iter().map(|line| 58 + 8 * line.name.len()).max();
    let columns = (size.0 as usize / width.unwrap_or(1)).max(1);
    let rows = lines.len().div_ceil(columns);
    let (legend, area) = root.split_vertically((rows * ROW) as u32);
    for (at, line) in lines.iter().enumerate() {
        let x = at % columns * width.unwrap_or(0);
        draw_name(&legend, line, (x as i32, (at / columns * ROW) as i32))?;
    }
    let pad = i32::from(last - first < 2);
    let mut chart = ChartBuilder::on(&area)
        .margin_right(44)
        .margin_top(8)
        .x_label_area_size(28)
        .y_label_area_size(60)
        .build_cartesian_2d(first - pad..last + pad, 0..most + most / 20 + 1)?;
    let steps = usize::try_from(last - first + 2 * pad + 1).unwrap_or(1);
    let labels = size.0 / if step == Step::Year { 72 } else { 110 };
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.15))
        .axis_style(BLACK)
        .x_labels(steps.min(labels as usize))
        .y_labels(6)
        .x_label_formatter(&|&at| step.label(at))
        .y_label_formatter(&|links| number(*links))
        .label_style(FONT)
        .draw()?;
    for line in lines {
        draw_line(&mut chart, line)?;
    }
    root.present()
}

/// The area in which lines are drawn: steps from left to right, links from bottom to top.
type Chart<'c, 'b> = ChartContext<'c, SVGBackend<'b>, Cartesian2d<RangedCoordi32, RangedCoordu64>>;

/// Draws a line, with a marker at each point.
fn draw_line<'b>(chart: &mut Chart<'_, 'b>, line: &Curve) -> Result<(), Failed<'b>> {
    let look = line.look;
    let style = look.color.stroke_width(2);
    let (points, dots) = line.parts();
    let points = points.iter().copied();
    if look.is_dashed {
        chart.draw_series(DashedLineSeries::new(points, 7, 5, style))?;
    } else {
        chart.draw_series(LineSeries::new(points, style))?;
    }
    chart.draw_series(DashedLineSeries::new(dots.iter().copied(), 2, 4, style))?;
    let hollow = line.points.last().filter(|_| line.is_cut);
    // A step without links has no marker, so that it does not hide the
    // markers of other lines.
    let seen = line.points.iter().filter(|point| point.1 > 0);
    let full = seen.filter(|&point| Some(point) != hollow);
    chart.draw_series(full.map(|point| marker(*point, look)))?;
    match look.shape {
        Marker::Circle => {
            chart.draw_series(hollow.map(|&at| Circle::new(at, 4, style)))?;
        }
        Marker::Triangle => {
            let corners = || PathElement::new(TRIANGLE.to_vec(), style);
            chart.draw_series(hollow.map(|&at| EmptyElement::at(at) + corners()))?;
        }
    }
    Ok(())
}

/// A line without axes and names, beside text that has its numbers. Its end is in dots if
/// `is_cut`.
pub(super) fn small(points: Vec<(i32, u64)>, is_cut: bool) -> String {
    let line = Curve {
        name: "",
        look: AUTHORS,
        points,
        is_cut,
    };
    let mut svg = String::new();
    // OK to ignore: writing to a string does not fail.
    let _ = draw_small(&mut svg, &line);
    svg
}

fn draw_small<'b>(svg: &'b mut String, line: &Curve) -> Result<(), Failed<'b>> {
    let (Some(first), Some(last)) = (line.points.first(), line.points.last()) else {
        return Ok(());
    };
    let most = line.points.iter().map(|point| point.1).max().unwrap_or(0);
    let area = SVGBackend::with_string(svg, SMALL).into_drawing_area();
    let mut chart = ChartBuilder::on(&area)
        .margin(4)
        .build_cartesian_2d(first.0..last.0.max(first.0 + 1), 0..most.max(1))?;
    let (points, dots) = line.parts();
    let style = line.look.color.stroke_width(2);
    let axis = [(first.0, 0), (last.0, 0)];
    chart.draw_series(LineSeries::new(axis, BLACK.stroke_width(1)))?;
    chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
    chart.draw_series(DashedLineSeries::new(dots.iter().copied(), 2, 4, style))?;
    area.present()
}

/// Draws an entry of the legend: a piece of a line, and its name.
fn draw_name<'b>(
    area: &DrawingArea<SVGBackend<'b>, Shift>,
    line: &Curve,
    (x, y): (i32, i32),
) -> Result<(), Failed<'b>> {
    let (ends, style) = (
        [(x, y + 14), (x + 36, y + 14)],
        line.look.color.stroke_width(2),
    );
    if line.look.is_dashed {
        area.draw(&DashedPathElement::new(ends, 7, 5, style))?;
    } else {
        area.draw(&PathElement::new(ends, style))?;
    }
    area.draw(&marker((x + 18, y + 14), line.look))?;
    area.draw(&Text::new(line.name, (x + 44, y + 7), FONT))
}

fn marker<'b, C: Clone + Debug + 'static>(
    at: C,
    look: Look,
) -> DynElement<'static, SVGBackend<'b>, C> {
    let filled = look.color.filled();
    match look.shape {
        Marker::Circle => Circle::new(at, 4, filled).into_dyn(),
        Marker::Triangle => TriangleMarker::new(at, 6, filled).into_dyn(),
    }
}
